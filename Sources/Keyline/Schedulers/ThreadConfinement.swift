// The main thread is the one that the elements of its users belong to: operators accept elements of any
// kind with this scheduler.

extension MainScheduler: ThreadConfinedSchedulerType {}
