import Keyline

print("SystemMonitor")
