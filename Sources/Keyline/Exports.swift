// `import Keyline` is all that a user of properties needs, and all that the files of this module need: it brings
// the reactive core with it.

@_exported import KeylineCore
