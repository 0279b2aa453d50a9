import { isNodeOpen } from './node-lines.ts'
import { beginsPythonBlock, endsPythonBlock, isPythonOpen } from './python-lines.ts'

/** Joins lines to the statements of a language. */
export interface StatementBuffer {
  /** True if the next line continues a statement. */
  readonly isOpen: boolean
  /** Returns the statements that this line completes. */
  push(line: string): string[]
  /** Returns what is left at the end of the input. */
  finish(): string[]
  clear(): void
}

/** On a terminal, an empty line ends a block; in a pipe, the next statement does. */
export function createPythonBuffer(isTerminal: boolean): StatementBuffer {
  let text = ''
  const take = () => {
    const taken = text
    text = ''
    return taken.trim() === '' ? [] : [taken]
  }
  const isBlock = () => beginsPythonBlock(text)
  return {
    get isOpen() {
      return text !== ''
    },
    push(line) {
      const isBetween = text !== '' && isBlock() && !isPythonOpen(text)
      const ended = isBetween && !isTerminal && endsPythonBlock(text, line) ? take() : []
      if (isBetween && isTerminal && line.trim() === '') return take()
      text += text === '' ? line : `\n${line}`
      return isPythonOpen(text) || isBlock() ? ended : [...ended, ...take()]
    },
    finish: take,
    clear: () => void (text = ''),
  }
}

export function createNodeBuffer(acorn: typeof import('acorn')): StatementBuffer {
  let text = ''
  const take = () => {
    const taken = text
    text = ''
    return taken.trim() === '' ? [] : [taken]
  }
  return {
    get isOpen() {
      return text !== ''
    },
    push(line) {
      text += text === '' ? line : `\n${line}`
      return isNodeOpen(acorn, text) ? [] : take()
    },
    finish: take,
    clear: () => void (text = ''),
  }
}
