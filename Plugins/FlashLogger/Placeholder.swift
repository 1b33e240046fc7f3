// Room for FlashLogger.
