import type { Span } from '../../skills/manifest/source.ts'
import { LineIndex, type TextPosition } from '../../../util/line-index.ts'
import type { DocumentPath, SuiteDocument } from './suite-document.ts'

/** A mistake in a file of cases. */
export interface SuiteProblem {
  /** Absolute path of the file. */
  file: string
  start: TextPosition
  /** The characters at fault, as offsets of the text. */
  span: Span
  message: string
  help: string | undefined
}

/** Collects the mistakes of one file, with their positions. */
export class ProblemList {
  readonly problems: SuiteProblem[] = []
  readonly file: string
  readonly #document: SuiteDocument
  #lines: LineIndex | undefined

  constructor(file: string, document: SuiteDocument) {
    this.file = file
    this.#document = document
    if (document.problem) this.#add(document.problem.span, document.problem.message)
  }

  /** Returns the place of a path of the document. */
  at(path: DocumentPath): Place {
    return new Place(this, path)
  }

  /** Position of a value, for reports. */
  locate(path: DocumentPath): TextPosition {
    return this.#toPosition(this.#document.locate(path, 'value').start)
  }

  refuse(path: DocumentPath, message: string, options: RefusalOptions): void {
    this.#add(this.#document.locate(path, options.what ?? 'value'), message, options.help)
  }

  // eslint-disable-next-line max-params -- the position, the message and the advice
  #add(span: Span, message: string, help?: string): void {
    const start = this.#toPosition(span.start)
    this.problems.push({ file: this.file, start, span, message, help })
  }

  #toPosition(offset: number): TextPosition {
    this.#lines ??= new LineIndex(this.#document.text)
    return this.#lines.positionAt(offset)
  }
}

interface RefusalOptions {
  what?: 'key' | 'value'
  help?: string | undefined
}

/** A value of the document that is being read. */
export class Place {
  readonly path: DocumentPath
  readonly #list: ProblemList

  constructor(list: ProblemList, path: DocumentPath) {
    this.#list = list
    this.path = path
  }

  at(step: string | number): Place {
    return new Place(this.#list, [...this.path, step])
  }

  /** Reports a mistake here; the value counts as absent. */
  refuse(message: string, options: RefusalOptions = {}): undefined {
    this.#list.refuse(this.path, message, options)
    return undefined
  }

  get position(): TextPosition {
    return this.#list.locate(this.path)
  }

  get problemCount(): number {
    return this.#list.problems.length
  }

  /** Absolute path of the file. */
  get file(): string {
    return this.#list.file
  }
}
