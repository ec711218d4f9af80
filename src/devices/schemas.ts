import { Type } from 'typebox';
import { Nullable } from '../server/schemas.ts';
import { readDeviceName } from './device-name.ts';

/** Of a record with the model of its device. */
export const modelFields = {
  deviceModel: Nullable(Type.String(), { description: 'The maker’s code, such as iPhone17,1 or SM-A546B' }),
  deviceName: Nullable(Type.String(), {
    description: 'What people call that model, such as iPhone 16 Pro; null if it is unknown',
  }),
};

export function presentModel(deviceModel: string | null) {
  return { deviceModel, deviceName: deviceModel === null ? null : readDeviceName(deviceModel) };
}
