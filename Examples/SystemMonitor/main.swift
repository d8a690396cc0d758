do {
  let options = try Options(parsing: CommandLine.arguments.dropFirst())
  if options.wantsHelp {
    try Console.write(Options.usage)
  } else {
    let monitor = try Monitor(options: options)
    monitor.run()
  }
} catch {
  Monitor.fail(error)
}
