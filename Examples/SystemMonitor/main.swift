import ExampleSupport

runExample { (options: Options) in try Monitor(options: options).run() }
