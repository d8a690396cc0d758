do {
  let options = try Options(parsing: CommandLine.arguments.dropFirst())
  if options.wantsHelp {
    try Console.write(Options.usage)
  } else {
    try Program(options: options).run()
  }
} catch {
  Console.fail(error)
}
