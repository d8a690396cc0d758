/// Names of stored properties, learnt by reflection: the one place that relies on how the compiler
/// names a wrapper's storage (an underscore before the property's name).
enum StoredProperties {
  /// The name of the property that `node` belongs to; nil if the object reflects itself otherwise.
  static func name(of node: AnyBroadcaster, in owner: AnyObject) -> String? {
    var mirror: Mirror? = Mirror(reflecting: owner)
    while let level = mirror {
      for case (let label?, let storage as any PropertyStorage) in level.children
      where storage.currentNode === node {
        return label.hasPrefix("_") ? String(label.dropFirst()) : label
      }
      mirror = level.superclassMirror
    }
    return nil
  }
}

/// A property wrapper's storage as reflection finds it.
protocol PropertyStorage {
  /// The property's node, once it has been observed.
  var currentNode: AnyBroadcaster? { get }
}
