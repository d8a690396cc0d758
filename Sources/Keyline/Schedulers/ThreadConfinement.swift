// The schedulers that cannot leave their thread: operators accept elements of any kind with them.

extension MainScheduler: ThreadConfinedSchedulerType {}
