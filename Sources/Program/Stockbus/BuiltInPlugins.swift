import AsOf
import Bars
import CombinedQuotes
import ConsoleViewer
import Dashboard
import Dedupe
import DemoStrategies
import Derive
import EchoSocket
import FileReplay
import FileWriter
import Filter
import FlashLogger
import Generator
import Guard
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
      .asOf,
      .bars,
      .combine,
      .dedupe,
      .demoMomentum,
      .demoReversion,
      .derive,
      .filter,
      .guard,
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
