internal import LibC
internal import NIOCore
internal import NIOPosix

/// Closes the channel so that the peer gets a TCP reset, as after a crash of this machine.
func closeWithReset(_ channel: any Channel) {
  guard let provider = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
  provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
}
