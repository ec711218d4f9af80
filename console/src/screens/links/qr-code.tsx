import { drawQrCode } from '@generated/sdk.gen.ts';
import type { Link } from '@generated/types.gen.ts';
import { use, useEffect, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { download } from '../../components/download.ts';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';

const DARK = '#0d2b33';

/** The code as a camera reads it, and its files. */
export function QrCode({ link: { shortCode } }: { link: Link }) {
  const [color, setColor] = useState(DARK);
  const { client } = use(AppContext);
  const read = useRead(['links', shortCode, 'qr', color], async (client, signal) => {
    const { data } = await drawQrCode({
      ...{ client, path: { shortCode }, signal, throwOnError: true, parseAs: 'blob' },
      query: { format: 'svg', size: 256, color },
    });
    return { data: data as Blob | string };
  });
  const save = async (format: 'svg' | 'png') => {
    const { data } = await drawQrCode({
      ...{ client, path: { shortCode }, throwOnError: true, parseAs: 'blob' },
      query: { format, size: 1024, color },
    });
    download(data, `${shortCode}.${format}`);
  };
  return (
    <Section title="QR code">
      <Pane read={read} rows={5}>
        {(image) => (
          <div className="flex flex-wrap items-start gap-4 pt-3">
            <Picture image={image} label={`QR code of /${shortCode}`} />
            <label className="grid gap-1">
              <span className="meta">Colour</span>
              <span className="flex items-center gap-2">
                <input
                  type="color"
                  value={color}
                  className="size-8"
                  onChange={({ target }) => setColor(target.value)}
                />
                <code>{color}</code>
              </span>
              <Contrast color={color} />
            </label>
          </div>
        )}
      </Pane>
      <div className="flex gap-2 pt-3">
        <button type="button" className="btn flex-1" onClick={() => void save('svg')}>
          Download SVG
        </button>
        <button type="button" className="btn" onClick={() => void save('png')}>
          PNG
        </button>
      </div>
    </Section>
  );
}

function Picture({ image, label }: { image: Blob | string; label: string }) {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([image], { type: 'image/svg+xml' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  if (address === null) return <span className="size-[136px]" />;
  return <img src={address} alt={label} width={136} height={136} className="bg-white outline outline-line" />;
}

const READABLE = 4;

/** Scanners need a dark code on the white ground. */
function Contrast({ color }: { color: string }) {
  const ratio = 1.05 / (luminanceOf(color) + 0.05);
  const isEnough = ratio >= READABLE;
  return (
    <span className={`meta max-w-32 ${isEnough ? '' : 'text-bad!'}`}>
      Contrast {Math.round(ratio)} : 1. {isEnough ? 'Every scanner reads it.' : 'Choose a darker one.'}
    </span>
  );
}

/** As WCAG defines it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
