// `import Keyline` also imports the reactive core. Users of properties need no second import, and
// neither do the files of this module.

@_exported import KeylineCore
