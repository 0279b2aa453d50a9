import type { Signal } from '../signal.ts'
import type { FoldedStatement } from './carriers.ts'
import { SENDS } from './flow.ts'

type TriggerSignal = Pick<Signal, 'class' | 'severity' | 'message' | 'help'> & {
  statement: FoldedStatement
}

/** A comparison with the date, the machine or the user that a program runs on. */
const CONDITIONS =
  /^\s*(?:if|elif|else if|when|unless|while|\[\[?|case)\b[^\n]{0,200}(?:(?:datetime(?:\.\w+)*\.(?:now|today|utcnow)\(|date\.today\(|\bnow\b|\btoday\b|time\.time\(|new Date\(|Date\.now\()[^\n]{0,80}(?:[<>]=?|==)[^\n]{0,60}(?:\b20\d\d\b|\bdatetime\(|\bdate\(|\b1[6-9]\d{8}\b|weekday)|weekday\(\)\s*(?:==|in|>=)|getDay\(\)\s*={2,3}|\$\(date \+[^)]{1,12}\)["']?\s*(?:-[gl][te]|=|>|<)|(?:gethostname|hostname\(|platform\.node|\$\(hostname|\$HOSTNAME|\$\{HOSTNAME)[^\n]{0,60}(?:==|=~|!=|\bin\b|includes|startsWith|startswith|endswith|endsWith|=\s*["*])|(?:getuser\(\)|\$\(whoami\)|\$USER\b|userInfo\(\)\.username|os\.getlogin\(\))[^\n]{0,40}(?:==|!=|=~|\bin\b|=\s*["*])|(?:environ[^\n]{0,16}["']|process\.env\.|\$\{?)(?:CI|GITHUB_ACTIONS|GITLAB_CI|JENKINS_URL)\b)/i
const EFFECTS =
  /\b(?:os\.system|subprocess\.|exec(?:Sync|File)?\(|spawn\(|eval\b|rmtree|rm\s+-[a-zA-Z]*r|unlink|\bcurl\b|\bwget\b)/i
/** Number of statements after a condition that may depend on it. */
const REACH = 8

/** Finds conditions that a harmful effect depends on. */
export function findTriggers(statements: readonly FoldedStatement[]): TriggerSignal[] {
  return statements.flatMap((statement, at): TriggerSignal[] => {
    if (!CONDITIONS.test(statement.text)) return []
    const body = statements.slice(at, at + REACH).map(({ text }) => text)
    const isCi = /\bCI\b|GITHUB_ACTIONS|GITLAB_CI|JENKINS/.test(statement.text)
    const hasEffect = body.some((text) => EFFECTS.test(text) || SENDS.test(text))
    if (!hasEffect) return []
    return [
      {
        statement,
        class: 'trigger',
        severity: isCi ? 'info' : 'warning',
        message: 'The code acts only on some dates, machines or users',
        help: 'Ask the author why the skill must behave differently there',
      },
    ]
  })
}
