import { drawQrCode } from '@generated/sdk.gen.ts';
import { useEffect, useState } from 'react';
import { useRead } from '../api/use-read.ts';
import { Pane } from './pane.tsx';

export const DARK = '#0d2b33';

/** The QR code of a link, as a camera reads it. @param size in CSS pixels. @param query of the address, if any. */
export function QrPicture({
  shortCode,
  size,
  color = DARK,
  query,
}: {
  shortCode: string;
  size: number;
  color?: string;
  query?: string;
}) {
  const read = useRead(['links', shortCode, 'qr', color, query ?? ''], async (client, signal) => {
    const { data } = await drawQrCode({
      ...{ client, path: { shortCode }, signal, throwOnError: true, parseAs: 'blob' },
      query: { format: 'svg', size: 256, color, query },
    });
    return { data: data as Blob | string };
  });
  return (
    <Pane read={read} rows={4}>
      {(image) => <Picture image={image} label={`QR code of /${shortCode}`} size={size} />}
    </Pane>
  );
}

function Picture({ image, label, size }: { image: Blob | string; label: string; size: number }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([image], { type: 'image/svg+xml' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  if (address === null) return <svg width={size} height={size} aria-hidden="true" />;
  return (
    <img src={address} alt={label} width={size} height={size} className="bg-white outline outline-line" />
  );
}
