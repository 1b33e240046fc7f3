import Bars
import ConsoleViewer
import Dashboard
import Dedupe
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
import NATS
import NotificationDispatcher
import NullSink
import PaperBroker
import Programs
import Recorder
import Sample
import SortingFeed
public import StockbusPlugin
import WatchlistFilter
import WebSocketFeed

extension [Plugin] {
  /// The plugins of stockbus: each in one line here, besides the import of its module.
  public static var builtIn: [Plugin] {
    [
      // Sources
      .echoSocket,
      .fileReplay,
      .generator,
      .httpPoll,
      .natsIn,
      .programSource,
      .webSocketFeed,
      // Processors
      .bars,
      .dedupe,
      .demoMomentum,
      .demoReversion,
      .filter,
      .movers,
      .paperBroker,
      .programProcessor,
      .sample,
      .sortingFeed,
      .watchlistFilter,
      // Sinks
      .consoleViewer,
      .dashboard,
      .fileWriter,
      .flashLogger,
      .history,
      .natsOut,
      .notificationDispatcher,
      .nullSink,
      .programSink,
      .recorder,
    ]
  }
}
