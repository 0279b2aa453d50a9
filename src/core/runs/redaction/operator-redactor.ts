import type { Services } from '../../services.ts'
import { createRedactor, type Redactor } from './redact.ts'

/** Creates a redactor for all secrets of the operator, and for further ones. */
export async function openOperatorRedactor(
  services: Pick<Services, 'secrets' | 'redactionPatterns'>,
  further: Iterable<string> = [],
): Promise<Redactor> {
  const readAll = async () => await (await services.secrets()).values()
  const configured = await readAll().catch(() => new Map<string, string>())
  return createRedactor([...configured.values(), ...further], await services.redactionPatterns())
}
