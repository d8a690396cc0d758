import ExampleSupport

runExample { (options: Options) in try Program(options: options).run() }
