import type { Random } from './random.ts'

/** Tries one input; throws if the code under test behaves wrongly. */
export type FuzzCheck = (input: Buffer) => void | Promise<void>

/** One reader of foreign input, and the expectations on it. */
export interface FuzzTarget {
  name: string
  /** Determines the mutations: of bytes, of text, or of the values in a JSON text. */
  format: 'bytes' | 'text' | 'json'
  /** Valid inputs. */
  seeds: readonly (string | Buffer)[]
  /** Words of the format. */
  words?: readonly (string | Buffer)[]
  /** Corrects checksums and lengths, which random changes never hit. */
  repair?(input: Buffer, random: Random): Buffer
  /**
   * Creates the check. With `isPlanted`, the code under test has a bug that the check must find: the
   * control of this target.
   */
  open(isPlanted: boolean): FuzzCheck | Promise<FuzzCheck>
}

/** Longest input; long enough for quadratic work to show. */
export const MAX_INPUT_BYTES = 16 * 1024
