import { createInterface, type Interface } from 'node:readline'
import { wrapLines } from '../ui/text.ts'
import { executeLine, INTERRUPTED, showError, type Repl } from './repl.ts'

const PROMPTS = { python: ['>>> ', '... '], node: ['> ', '... '] } as const
const TITLES = { python: 'Python', node: 'Node' } as const
const HISTORY = 1000

/** Prompts for statements until Ctrl-D. */
export async function runOnTerminal(repl: Repl): Promise<number> {
  const { context, language } = repl
  const intro = `${TITLES[language]}: variables stay between statements. Ctrl-C interrupts, Ctrl-D ends, .help lists commands.`
  context.note(wrapLines(intro, context.columns))
  const terminal = new Terminal(repl)
  try {
    return await terminal.run()
  } finally {
    terminal.close()
  }
}

class Terminal {
  readonly #repl: Repl
  readonly #editor: Interface
  readonly #lines: string[] = []
  #isRunning = false
  #isOver = false
  #wake: () => void = () => {}

  constructor(repl: Repl) {
    this.#repl = repl
    const { stdin: input, stdout: output, signal } = repl.context
    this.#editor = createInterface({
      input,
      output,
      terminal: true,
      historySize: HISTORY,
      removeHistoryDuplicates: true,
    })
    this.#editor.on('line', (line) => {
      this.#lines.push(line)
      this.#wake()
    })
    this.#editor.on('close', () => this.#end())
    this.#editor.on('SIGINT', () => this.#interrupt())
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  async run(): Promise<number> {
    const { context } = this.#repl
    this.#prompt()
    for (;;) {
      const line = await this.#readLine()
      if (line === undefined) break
      this.#isRunning = true
      const end = await executeLine(this.#repl, line).catch((error: unknown) =>
        showError(context, error),
      )
      this.#isRunning = false
      if (end === 'exit') return 0
      if (!this.#isOver) this.#prompt()
    }
    context.stdout.write('\n')
    return context.signal.aborted ? INTERRUPTED : 0
  }

  close(): void {
    this.#editor.close()
  }

  /** Undefined at the end of the input. Lines that were typed before it are read first. */
  async #readLine(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return this.#lines.shift()
  }

  #end(): void {
    this.#isOver = true
    this.#wake()
  }

  /** Ctrl-C interrupts the running statement, or drops what was typed. */
  #interrupt(): void {
    const { context, session, buffer } = this.#repl
    if (this.#isRunning) return void session.interrupt()
    const hadInput = buffer.isOpen || this.#editor.line !== ''
    buffer.clear()
    this.#editor.write(null, { ctrl: true, name: 'e' })
    this.#editor.write(null, { ctrl: true, name: 'u' })
    context.stdout.write(hadInput ? '\n' : '\nCtrl-D or .exit ends the session.\n')
    this.#prompt()
  }

  #prompt(): void {
    const { buffer, language } = this.#repl
    const [first, next] = PROMPTS[language]
    this.#editor.setPrompt(buffer.isOpen ? next : first)
    this.#editor.prompt()
  }
}
