import { SkillsError } from '../../../errors.ts'
import {
  parsePrivateExceptions,
  type PrivateExceptions,
} from '../../sandbox/egress/private-exceptions.ts'

/** Parses `run.network.allow_private`, or throws an error that names the invalid text. */
export function requirePrivateExceptions(texts: readonly string[]): PrivateExceptions {
  const exceptions = parsePrivateExceptions(texts)
  if (!('wrong' in exceptions)) return exceptions
  const expected = 'a host, an address or a range, optionally with a port'
  const message = `run.network.allow_private has "${exceptions.wrong}", expected ${expected}`
  const hint = 'Write for example "10.0.0.0/8", "127.0.0.1:8080" or "wiki.internal:443"'
  throw new SkillsError('config/invalid', message, { hint })
}
