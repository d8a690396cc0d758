// Changes by name: where names, chains and the edits of collections meet.

extension PropertyObservable {
  /// Emits every change at the end of a chain of names, like `observeChanges(options:_:)` for a
  /// chain that is written with key paths.
  ///
  /// If the declared types lead to an observable collection, and `type` is the type of its contents, the
  /// changes are its edits, as of `observeChanges(_:options:)` for such a property. A path that breaks, or
  /// whose first object dies, is one `setting` without `new`.
  ///
  /// ```swift
  /// _ = try team.observeChanges([String].self, "members").subscribe(onNext: { change in
  ///   if let new = change.new { print(change.kind, new) }
  /// })
  /// team.members.append("Ada")
  /// ```
  /// ```text
  /// insertion ["Ada"]
  /// ```
  ///
  /// - Errors: as for `observeWeakly(_:_:options:)`.
  public func observeChanges<Leaf>(
    _ type: Leaf.Type, _ keyPath: String, options: KeyValueObservingOptions = [.old, .new]
  ) throws -> PropertySequence<PropertyChange<Leaf>> {
    let names = NamedPath(keyPath)
    func edits<Found: ObservedCollection>(of type: Found.Type) throws -> Any {
      let chain = ChainRule<Any>(try leaf(Any?.self, names)) { $0 }
      return collectionChanges(changes(PropertyPath(chain)) { ($0 as? Found)?.edited }, options)
    }
    let end = try names.knownLeaf(from: self)?.description.valueType
    let collection = end as? any ObservedCollection.Type
    if let edits = try collection.map({ try edits(of: $0) }) as? Observable<PropertyChange<Leaf>> {
      return PropertySequence {
        $1.seal()
        edits.run($0, in: $1)
      }
    }
    let chain = ChainRule<Leaf>(try leaf(Leaf?.self, names)) { $0 }
    return changes(PropertyPath(chain), options) { $0 }
  }
}
