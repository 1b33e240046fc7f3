// Room for EventBus.
