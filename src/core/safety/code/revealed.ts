import type { Signal } from '../signal.ts'
import type { FoldedStatement } from './carriers.ts'

/** Words that a program has no reason to put together of pieces. */
const TELLING =
  /https?:\/\/|\b(?:curl|wget|bash|eval|exec|compile|system|popen|subprocess|child_process|execSync|process\.env|environ|fetch|requests|urllib|socket|globals|__import__)\b|\/bin\/sh|\.ssh\b|\.aws\b|\brm -rf?\b/g

/** Statements that spell a telling word in pieces or codes, so that a search does not find it. */
export function findRevealedWords(
  code: string,
  statements: readonly FoldedStatement[],
): (Pick<Signal, 'class' | 'severity' | 'message' | 'help'> & {
  statement: FoldedStatement
})[] {
  return statements.flatMap((statement) => {
    const { text, written } = statement
    if (text === written) return []
    const word = text.match(TELLING)?.find((each) => !code.includes(each))
    if (word === undefined) return []
    return [
      {
        statement,
        class: 'obfuscated-code' as const,
        severity: 'warning' as const,
        message: `The code puts "${word}" together of pieces, so that it does not stand in the text`,
        help: 'Write the text as it is, so that it can be read',
      },
    ]
  })
}
