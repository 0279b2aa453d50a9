import { countCommonStart, reverseText } from '../../../util/text/characters.ts'
import { listSecretPatterns } from '../../runs/redaction/secret-forms.ts'
import { foldCase, SecretMatcher } from '../../runs/redaction/secret-matcher.ts'
import type { Marker } from '../bait/markers.ts'
import { decodeLevels } from './decode-views.ts'
import { MarkerPieces, type PieceSearch } from './marker-pieces.ts'

/** Bytes of one message, and of one trial, that are decoded. The rest is searched as it is. */
const MAX_DECODED = 256 * 1024
const MAX_DECODED_TRIAL = 2 * 1024 * 1024
/** Messages of one channel that are compared, and bytes of each. */
const MAX_JOINED = 512
const MAX_COMPARED = 2000
/** Bytes of one view in which differences are compared. */
const MAX_SHIFTED = 64 * 1024

/** Searches what leaves a trial for the markers of its bait. */
export class MarkerSearch {
  /** Markers by the text of each pattern. */
  readonly #owners: ReadonlyMap<string, Marker>
  readonly #all: SecretMatcher
  readonly #pieces = new MarkerPieces<Marker>()
  readonly #differences: ReadonlyMap<string, Marker>

  constructor(markers: readonly Marker[]) {
    const patterns = markers.map((marker) => ({
      marker,
      patterns: listSecretPatterns(marker.value),
    }))
    this.#owners = new Map(
      patterns.flatMap(({ marker, patterns: own }) =>
        own.map(({ text }) => [text, marker] as const),
      ),
    )
    this.#all = new SecretMatcher(patterns.flatMap((each) => each.patterns))
    for (const each of patterns) this.#pieces.add(each.marker, each.patterns)
    this.#differences = new Map(
      markers.flatMap((marker) =>
        DIFFERENCES.map(
          (compute) =>
            [compute(Buffer.from(marker.value)).toString('latin1', 0, DIFFERENCE), marker] as const,
        ),
      ),
    )
  }

  /** Starts the search of one trial. */
  open(): TrialSearch {
    const pieces = this.#pieces.open()
    const messages = new Map<string, string[]>()
    let left = MAX_DECODED_TRIAL
    return {
      add: (channel, bytes) => {
        const part = bytes.subarray(0, Math.max(0, Math.min(MAX_DECODED, left)))
        left -= part.length
        const found = new Set([
          ...this.#findMarkers(bytes.toString('latin1')),
          ...this.#findInViews(part, pieces),
        ])
        const sent = messages.get(channel) ?? []
        messages.set(channel, sent)
        if (found.size > 0 || sent.length >= MAX_JOINED) return [...found]
        sent.push(bytes.toString('latin1', 0, MAX_COMPARED))
        if (sent.length < 2 || (sent.length > 64 && sent.length % 16 !== 0)) return []
        return joinChanges(sent).flatMap((text) => {
          left -= text.length
          return left < 0 ? [] : this.#findInViews(Buffer.from(text, 'latin1'), pieces)
        })
      },
    }
  }

  /** Decodes no further once something is found. */
  #findInViews(bytes: Buffer, pieces: PieceSearch<Marker>): Marker[] {
    for (const views of decodeLevels(bytes)) {
      const found = views.flatMap((view) => [
        ...this.#findMarkers(view),
        ...this.#findMarkers(rotateLetters(view)),
        ...this.#findShifted(view),
        ...pieces.add(view.slice(0, MAX_SHIFTED)),
      ])
      if (found.length > 0) return found
    }
    return []
  }

  #findMarkers(text: string): Marker[] {
    return this.#all.find(text).flatMap(([start, end]) => {
      const found = text.slice(start, end)
      const marker = this.#owners.get(found) ?? this.#owners.get(foldCase(found))
      return marker ? [marker] : []
    })
  }

  /** Finds markers of which each byte is changed by the same number: by XOR or by addition. */
  #findShifted(view: string): Marker[] {
    const found = new Set<Marker>()
    const bytes = Buffer.from(view.slice(0, MAX_SHIFTED), 'latin1')
    for (const compute of DIFFERENCES) {
      const text = compute(bytes).toString('latin1')
      for (let at = 0; at + DIFFERENCE <= text.length; at++) {
        const marker = this.#differences.get(text.slice(at, at + DIFFERENCE))
        if (marker) found.add(marker)
      }
    }
    return [...found]
  }
}

/** Search of the messages of one trial. */
export interface TrialSearch {
  /** Adds a message of a channel, and returns the markers that have left by now. */
  add(channel: string, bytes: Buffer): Marker[]
}

/** Bytes whose differences identify a marker. */
const DIFFERENCE = 12

/** Differences of neighbours stay the same if the same number changes all bytes. */
const DIFFERENCES = [
  (bytes: Buffer) => computeDifferences(bytes, (a, b) => a ^ b),
  (bytes: Buffer) => computeDifferences(bytes, (a, b) => (b - a) & 0xff),
]

function computeDifferences(bytes: Buffer, combine: (a: number, b: number) => number): Buffer {
  const result = Buffer.alloc(Math.max(0, bytes.length - 1))
  for (let at = 0; at < result.length; at++)
    result[at] = combine(bytes[at] ?? 0, bytes[at + 1] ?? 0)
  return result
}

/** ROT13. */
function rotateLetters(text: string): string {
  return text.replace(/[A-Za-z]/g, (each) => {
    const code = each.charCodeAt(0)
    const first = code < 97 ? 65 : 97
    return String.fromCharCode(((code - first + 13) % 26) + first)
  })
}

/**
 * Joins the parts in which messages differ, because pieces of one character have no other trace:
 * whole, and only the first or last word of each part, next to which a number may count.
 */
function joinChanges(messages: readonly string[]): string[] {
  const [first = ''] = messages
  let [start, end] = [first.length, first.length]
  for (const each of messages.slice(1)) {
    start = Math.min(start, countCommonStart(first, each))
    end = Math.min(
      end,
      countCommonStart(reverseText(first.slice(start)), reverseText(each.slice(start))),
    )
  }
  const parts = messages.map((each) => each.slice(start, each.length - end))
  return [
    parts.join(''),
    parts.map((each) => /[A-Za-z0-9+/]+/.exec(each)?.[0] ?? '').join(''),
    parts.map((each) => /[A-Za-z0-9+/]+(?=[^A-Za-z0-9+/]*$)/.exec(each)?.[0] ?? '').join(''),
  ]
}
