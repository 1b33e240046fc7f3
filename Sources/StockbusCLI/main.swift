print("stockbus")
