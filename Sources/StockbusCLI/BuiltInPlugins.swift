import Bars
import ConsoleViewer
import Dashboard
import DemoStrategies
import EchoSocket
import FileReplay
import FileWriter
import Filter
import FlashLogger
import Generator
import HTTPPoll
import History
import Movers
import NotificationDispatcher
import NullSink
import PaperBroker
import Programs
import Recorder
import SortingFeed
import StockbusPlugin
import WatchlistFilter
import WebSocketFeed

/// The plugins that are built into the program; this is the only list of them.
let builtIn = Catalogue([
  // Sources
  .echoSocket,
  .fileReplay,
  .generator,
  .httpPoll,
  .programSource,
  .webSocketFeed,
  // Processors
  .bars,
  .demoMomentum,
  .demoReversion,
  .filter,
  .movers,
  .paperBroker,
  .programProcessor,
  .sortingFeed,
  .watchlistFilter,
  // Sinks
  .consoleViewer,
  .dashboard,
  .fileWriter,
  .flashLogger,
  .history,
  .notificationDispatcher,
  .nullSink,
  .programSink,
  .recorder,
])
