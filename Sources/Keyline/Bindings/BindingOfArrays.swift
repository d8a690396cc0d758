extension PropertyObservable {
  /// Keeps the array at `rows` of `target` equal to the results of `transform` for the elements at
  /// `source`, one row for each element.
  ///
  /// ```swift
  /// store.bind(\.orders, to: screen, \.rows) { OrderRow($0) }
  /// ```
  ///
  /// A row is made once, kept while its element is in the array, and released with it, as by
  /// ``LiveArray/mapped(_:)``. The binding follows another array at either end.
  ///
  /// - Timing: before this method returns, and then with each emission of the source's edits, as
  ///   one emission of the target.
  /// - Lifetime: retains neither end; the binding need not be retained.
  /// - Complexity: O(log n) per edited element.
  /// - Parameters:
  ///   - source: a path to an ``ObservableArray``, or to a view.
  ///   - rows: the array that the binding edits. If others have edited it, the next edit of the
  ///     source replaces all rows.
  @discardableResult
  public func bind<Input, Output, Source: LiveArray<Input>, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target,
    _ rows: KeyPath<Target, ObservableArray<Output>>,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (Input) -> Output
  ) -> PropertyBinding {
    bind(
      arrays(at: source).map { $0.mapped(transform).contentsAndChanges }, to: target, rows,
      CallSite(file, line))
  }

  /// Keeps the array at `rows` of `target` equal to the results of `transform` for the elements of
  /// a plain array: each value is compared with the one before it, objects by identity.
  ///
  /// - Complexity: per set, the complexity of `difference(from:)`.
  @discardableResult
  public func bind<Input, Output, Target: PropertyObservable>(
    _ source: KeyPath<Self, [Input]>, to target: Target,
    _ rows: KeyPath<Target, ObservableArray<Output>>,
    file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping (Input) -> Output
  ) -> PropertyBinding {
    let array = ObservableArray<Input>()
    let areEqual = Equality<Input>.of
    let elements = observe(source).map { elements in
      // The difference from or to nothing takes quadratic time.
      if array.isEmpty || elements.isEmpty { array.replaceSubrange(0..., with: elements) }
      array.update { _ in
        for change in elements.difference(from: array.elements, by: { areEqual($0, $1) == true }) {
          switch change {
          case .insert(let index, let element, _): array.insert(element, at: index)
          case .remove(let index, _, _): array.remove(at: index)
          }
        }
      }
      return array
    }
    return bind(
      elements.distinctUntilChanged().map { $0.mapped(transform).contentsAndChanges },
      to: target, rows, CallSite(file, line))
  }

  /// Keeps the array at `rows` of `target` equal to the array, or view, at `source`.
  @discardableResult
  public func bind<Element, Source: LiveArray<Element>, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target,
    _ rows: KeyPath<Target, ObservableArray<Element>>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(arrays(at: source).map(\.contentsAndChanges), to: target, rows, CallSite(file, line))
  }

  private func arrays<Object: AnyObject>(at keyPath: KeyPath<Self, Object>) -> Observable<Object> {
    observation(of: PropertyPath(keyPath, mayBeConstant: true)).distinctUntilChanged()
  }

  fileprivate func bind<Output, Target: PropertyObservable>(
    _ contents: Observable<Observable<[ArrayEdit<Output>]>>, until arrayLife: ObjectLife? = nil,
    to target: Target,
    _ rows: KeyPath<Target, ObservableArray<Output>>, _ call: CallSite
  ) -> PropertyBinding {
    let targets = target.arrays(at: rows)
    let binding = PropertyBinding(.oneWay, to: Target.self, call)
    let edits = contents.flatMapLatest { contents in
      targets.flatMapLatest { rows in
        // The rows that the target must have. The view may have changed again since it made the
        // edits.
        var copy: [Output] = []
        // Another number of edits than the binding has made: others have edited the rows.
        var number = -1
        return contents.map { [weak rows] edits in
          for edit in edits { edit.apply(to: &copy) }
          rows?.update { rows in
            let node = rows.observedNode()
            if node.nextNumber == number {
              for edit in edits { rows.apply(edit) }
            } else {
              rows.replaceSubrange(0..., with: copy)
            }
            number = node.nextNumber
          }
        }
      }
    }
    let context = binding.subscription
    (arrayLife ?? life).when(.dead, in: context) { binding.finish(.sourceDied) }
    target.life.when(.dead, in: context) { binding.finish(.targetDied) }
    edits.run(in: context.child(), next: { _ in }, terminate: { binding.sourceEnded($0) })
    return binding
  }
}

extension LiveArray {
  /// Keeps the array at `rows` of `target` equal to this array, or view:
  /// `store.orders.filtered { $0.isOpen }.bind(to: screen, \.openOrders)`.
  ///
  /// - Lifetime: retains the view, as ``ObservableCollection/changes`` does, and neither an
  ///   ``ObservableArray`` nor `target`.
  @discardableResult
  public final func bind<Target: PropertyObservable>(
    to target: Target, _ rows: KeyPath<Target, ObservableArray<Element>>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(.just(contentsAndChanges), until: arrayLife, to: target, rows, CallSite(file, line))
  }
}
