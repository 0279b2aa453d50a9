import type { AdoptionPlan } from '../../core/adopting/plan-adoption.ts'
import { toPrintable } from '../../util/printable.ts'

const MAX_LINES = 20

/** Lines that a user reads before the consent. Texts of the skill cannot control the terminal. */
export function describeAdoption(plan: AdoptionPlan): string {
  const { identity, commands, capabilities, unknown, files } = plan
  const allowed = capabilities.filter((each) => each.allowed)
  const others = capabilities.filter((each) => !each.allowed && each.kind !== 'package')
  const packages = capabilities.filter(({ kind }) => kind === 'package')
  const lines = [
    `${identity.name}@${identity.version}, ${plan.kind}, writes ${[...files.keys()].join(', ')}`,
    ...identity.changes.map((each) => `- ${each}`),
    ...limit(
      commands.map(
        ({ command, place }) =>
          `- command ${command.name} (${place}): ${command.arguments.map(({ input }) => input).join(', ') || 'no inputs'}`,
      ),
    ),
    ...limit(
      allowed.map(
        ({ kind, value, certainty, place }) =>
          `- allows the ${kind} ${value} (${certainty}, ${place})`,
      ),
    ),
    ...limit(
      others.map(
        ({ kind, value, certainty, place }) =>
          `- does not allow the ${kind} ${value} (${certainty}, ${place})`,
      ),
    ),
    ...limit(
      packages.map(
        ({ value, place }) =>
          `- needs the package ${value} (${place}), pin it with skills deps add`,
      ),
    ),
    ...limit(unknown.map((each) => `- not known: ${each}`)),
  ]
  return lines.map((line) => toPrintable(line)).join('\n')
}

function limit(lines: string[]): string[] {
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `- ${lines.length - MAX_LINES} more: see --json`]
}
