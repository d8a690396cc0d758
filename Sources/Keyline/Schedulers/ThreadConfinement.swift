// Elements delivered on the main thread belong to it: with this scheduler, operators accept
// elements that are not `Sendable`.

extension MainScheduler: ThreadConfinedSchedulerType {}
