// `import Keyline` is all that a user of properties needs: it brings the reactive core with it.

@_exported import KeylineCore
