import type { PlainObject, Span, SyntaxProblem } from '../../skills/manifest/source.ts'

/** Steps from the top of a document to a value. */
export type DocumentPath = readonly (string | number)[]

/** A parsed file of cases that knows the positions of its keys and values. */
export interface SuiteDocument {
  text: string
  data: PlainObject
  problem: SyntaxProblem | undefined
  /** Span of the key or value at a path, or of its nearest ancestor. */
  locate(path: DocumentPath, what?: 'key' | 'value'): Span
}
