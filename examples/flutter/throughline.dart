// Not compiled: docs/guide/flutter.md.
import 'package:flutter/services.dart';

const channel = MethodChannel('throughline');

Future<void> listen(void Function(Map link) open) {
  channel.setMethodCallHandler((call) async => open(call.arguments as Map));
  return channel.invokeMethod('listen');
}

Future<void> track(String name, {Map<String, Object?>? properties, String? amount, String? currency, String? transactionId}) => channel.invokeMethod(
    'track', {'name': name, 'properties': properties, 'amount': amount, 'currency': currency, 'transactionId': transactionId});
Future<void> identify(String? user) => channel.invokeMethod('identify', {'user': user}); // null: signed out
Future<void> setConsent(String consent) => channel.invokeMethod('setConsent', {'consent': consent}); // GRANTED, DETERMINISTIC_ONLY, DENIED, PENDING
Future<Map?> firstOpen() => channel.invokeMethod<Map>('firstOpen');
