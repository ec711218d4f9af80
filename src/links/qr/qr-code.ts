/** The squares of a QR code, without a margin: rows from the top, true where one is set. */
export type Modules = readonly (readonly boolean[])[];

export const FORMATS = ['png', 'svg'] as const;
/** The weakest first. */
export const ERROR_CORRECTIONS = ['L', 'M', 'Q', 'H'] as const;

/** How a code is drawn. Colours are `#rrggbb`. */
export interface QrCodeStyle {
  readonly format: (typeof FORMATS)[number];
  /** Of the picture's sides, in pixels. */
  readonly size: number;
  /** Around the code, in modules. */
  readonly margin: number;
  /** Of the modules that are set. */
  readonly color: string;
  /** Or `transparent`. */
  readonly background: string;
  /** How much of the code may be covered or torn: about 7, 15, 25 or 30 %. */
  readonly errorCorrection: (typeof ERROR_CORRECTIONS)[number];
}
