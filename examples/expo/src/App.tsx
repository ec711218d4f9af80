import { PasteLinkButton, ThroughlineProvider, useDeepLink, useThroughline } from '@throughline/react-native';
import { useEffect, useState } from 'react';
import { Button, StyleSheet, Text, View } from 'react-native';
import { throughline } from './throughline';

export default function App() {
  return (
    <ThroughlineProvider client={throughline}>
      <Shop />
    </ThroughlineProvider>
  );
}

/** Shows the shoe that a link leads to, and sells it. */
function Shop() {
  const client = useThroughline();
  const link = useDeepLink();
  const [pasted, setPasted] = useState<string | null>(null);
  const [method, setMethod] = useState('');
  const [bought, setBought] = useState(0);
  useEffect(() => {
    client.firstOpen().then((attribution) => setMethod(attribution.pending ? 'pending' : attribution.method));
  }, [client]);

  const buy = () => {
    const transactionId = `order-${bought + 1}`;
    client.track(
      'purchase',
      { path: link?.path ?? '/' },
      { amount: '19.99', currency: 'EUR', transactionId },
    );
    setBought(bought + 1);
  };
  return (
    <View style={styles.shop}>
      <Text testID="path">{pasted ?? link?.path ?? '/'}</Text>
      <Text testID="deferred">{link?.deferred ? 'Your link brought you here' : ''}</Text>
      <Text testID="method">{method}</Text>
      <Button title={`Buy (${bought} bought)`} onPress={buy} testID="buy" />
      <PasteLinkButton style={styles.paste} onLink={(found) => setPasted(found?.path ?? null)} />
    </View>
  );
}

const styles = StyleSheet.create({
  shop: { flex: 1, justifyContent: 'center', alignItems: 'center', gap: 12 },
  paste: { width: 160, height: 44 },
});
