export const STREAM_NAMES = ['stdout', 'stderr'] as const
export type StreamName = (typeof STREAM_NAMES)[number]

export const OUTPUT_MODES = ['minimal', 'summary', 'intent', 'digest'] as const
export type OutputMode = (typeof OUTPUT_MODES)[number]

/** Some lines of a stream. */
export interface Excerpt {
  lineStart: number
  lineEnd: number
  content: string
  source: StreamName
  /** Present if raw bytes were requested and are not UTF-8. */
  encoding?: 'base64'
}
