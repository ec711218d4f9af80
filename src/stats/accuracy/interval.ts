/** A share of a sample, and where it lies in what was sampled, with a confidence of at least 95 %. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Of each side. */
const TAIL = 0.025;

/**
 * The exact interval of C. J. Clopper and E. S. Pearson (Biometrika 26, 1934, pages 404 to 413). E. B. Wilson's is narrower,
 * but holds for 87 of 100 samples only where a precision is as near to 1 as many are here.
 * @returns null for an empty sample.
 */
export function intervalOf(hits: number, of: number): Interval | null {
  if (of === 0) return null;
  return {
    value: hits / of,
    low: hits === 0 ? 0 : betaQuantile(TAIL, hits, of - hits + 1),
    high: hits === of ? 1 : betaQuantile(1 - TAIL, hits + 1, of - hits),
  };
}

/** More exact than what is shown. */
const HALVINGS = 40;

/** Where the beta distribution reaches a probability. */
function betaQuantile(probability: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (betaShare(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function, by the fraction that converges faster (NIST, DLMF 8.17.22). */
function betaShare(x: number, a: number, b: number): number {
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  const factor = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return (factor * fraction(x, a, b)) / a;
}

const MAX_TERMS = 2_000;
const PRECISION = 1e-12;
const TINY = 1e-300;

/** By the method of Lentz. */
function fraction(x: number, a: number, b: number): number {
  const [even, odd] = [
    (m: number) => (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
    (m: number) => (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
  ];
  let c = 1;
  let d = 1 / nonZero(1 + odd(0));
  let value = d;
  for (let term = 2; term <= MAX_TERMS; term++) {
    const factor = term % 2 === 0 ? even(term / 2) : odd((term - 1) / 2);
    d = 1 / nonZero(1 + factor * d);
    c = nonZero(1 + factor / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return value;
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** For numbers from 1 on, by Stirling's series (DLMF 5.11.1) from 10 on. */
function lnGamma(x: number): number {
  if (x < 10) return lnGamma(x + 1) - Math.log(x);
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}
