import {
  createNavigatorFactory,
  NavigationContainer,
  StackRouter,
  useNavigationBuilder,
} from '@react-navigation/native';
import {
  createLinking,
  createThroughline,
  PasteLinkButton,
  StandardEvent,
  shareLink,
  ThroughlineProvider,
  useDeepLink,
  useThroughline,
} from '@throughline/react-native';
import { Button, Text, View } from 'react-native';

type Screens = { Home: undefined; Shoes: { id: string; size?: string }; Welcome: { code?: string } };

export const throughline = createThroughline({
  baseUrl: 'https://go.example.com',
  key: 'svc_test_pub_us_0123456789abcdef',
});

export const linking = createLinking(throughline, {
  prefixes: ['shop://'],
  config: { screens: { Home: '', Shoes: 'shoes/:id', Welcome: 'welcome' } },
});

const createNavigator = createNavigatorFactory(Navigator);
const Stack = createNavigator();

/** The smallest navigator: the screen on top. */
function Navigator(props: Parameters<typeof useNavigationBuilder>[1]) {
  const { state, descriptors, NavigationContent } = useNavigationBuilder(StackRouter, props);
  const key = state.routes[state.index]?.key ?? '';
  return <NavigationContent>{descriptors[key]?.render()}</NavigationContent>;
}

export default function App() {
  return (
    <ThroughlineProvider client={throughline}>
      <NavigationContainer<Screens>
        linking={linking}
        onReady={linking.onReady}
        fallback={<Text>Loading</Text>}
      >
        <Stack.Navigator>
          <Stack.Screen name="Home" component={Home} />
          <Stack.Screen name="Shoes" component={Shoes} />
          <Stack.Screen name="Welcome" component={Welcome} />
        </Stack.Navigator>
      </NavigationContainer>
    </ThroughlineProvider>
  );
}

function Home() {
  const link = useDeepLink();
  return (
    <View>
      <Text>Home {link?.path}</Text>
      <PasteLinkButton onLink={() => {}} />
    </View>
  );
}

function Shoes({ route: { params } }: { route: { params?: Partial<Screens['Shoes']> } }) {
  const client = useThroughline();
  const buy = () =>
    client.track(
      StandardEvent.purchase({
        revenue: { amount: '19.99', currency: 'EUR', transactionId: 'order-1' },
        itemId: params?.id,
      }),
    );
  const share = () =>
    shareLink(client, { deepLinkPath: `/shoes/${params?.id}` }, { message: 'Look:', title: 'Shoes' });
  return (
    <View>
      <Text>{`Shoes ${params?.id} in ${params?.size}`}</Text>
      <Button title="Buy" onPress={buy} />
      <Button title="Share" onPress={share} />
    </View>
  );
}

function Welcome({ route: { params } }: { route: { params?: Screens['Welcome'] } }) {
  return <Text>{`Welcome ${params?.code}`}</Text>;
}
