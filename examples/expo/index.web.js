import { AppRegistry } from 'react-native';
import App from './src/App';

AppRegistry.registerComponent('shop', () => App);
AppRegistry.runApplication('shop', { rootTag: document.getElementById('root') });
