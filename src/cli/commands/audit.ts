import { AUDIT_EVENTS } from '../../core/audit/audit-record.ts'
import { POLICY_RUN_KINDS } from '../../core/policy/policy-request.ts'
import { LAYERS } from '../../core/policy/verdict.ts'
import type { CommandDefinition, OptionDefinition } from '../command.ts'

const FILTERS: readonly OptionDefinition[] = [
  { flags: '--event <event>', description: 'Only these records', choices: AUDIT_EVENTS },
  { flags: '--denied', description: 'Only what was denied: --event denied' },
  { flags: '--kind <kind>', description: 'Only runs of this kind', choices: POLICY_RUN_KINDS },
  { flags: '--layer <layer>', description: 'Only what this layer denied', choices: LAYERS },
  { flags: '--code <code>', description: 'Only what was denied with this code' },
  { flags: '--caller <name>', description: 'Only runs of this token or user' },
  { flags: '--repo <name>', description: 'Only runs in this repository' },
  { flags: '--skill <skill>', description: 'Only runs of this skill, or name@version' },
  { flags: '--language <language>', description: 'Only runs of this language' },
  { flags: '--rule <name>', description: 'Only what this rule was about' },
  { flags: '--run <id>', description: 'Only this run; its id may be shortened' },
  { flags: '--hash <digits>', description: 'Only decisions whose auditHash begins like this' },
  { flags: '--since <time>', description: 'Not before: 2026-11-21, or 2h ago' },
  { flags: '--until <time>', description: 'Before: 2026-11-21T08:00:00Z, or 15m ago' },
]

export const command: CommandDefinition = {
  summary: 'Look at the log of all decisions, check and export it',
  details: [
    'Look at the log of all decisions, check and export it. Every run and every refusal is in it before',
    'anybody is answered, each record chained to the one before by its hash.',
  ].join(' '),
  subcommands: {
    ls: {
      summary: 'List what was decided, the newest first',
      options: [
        ...FILTERS,
        { flags: '--limit <count>', description: 'At most so many (50 unless given)' },
        { flags: '--before <number>', description: 'Go on where the page before ended' },
      ],
      examples: [
        { command: 'skills audit ls', explains: 'When, who, what, and what came of it' },
        {
          command: 'skills audit ls --denied --since 1d --json',
          explains: 'What was denied since yesterday, for a program',
        },
      ],
      run: async (context, call) =>
        await (await import('../audit/list.ts')).listAuditRecords(context, call),
    },
    verify: {
      summary: 'Check that nothing was changed, removed or put elsewhere',
      details: [
        'Check that nothing was changed, removed or put elsewhere. The exit status is 0 where all is as it',
        'was written, 1 where it is not. What it prints last is an anchor: kept elsewhere and given',
        'with --anchor later, it also shows a log that was written anew as a whole.',
      ].join(' '),
      options: [
        {
          flags: '--anchor <number:hash>',
          description: 'A record as it was printed before (repeatable)',
          isRepeatable: true,
        },
      ],
      examples: [
        { command: 'skills audit verify', explains: 'Check the whole log' },
        {
          command: 'skills audit verify --anchor 41:9f2a…',
          explains: 'Check it against what was printed before',
          notRun: 'it names a record that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../audit/verify.ts')).verifyAuditLog(context, call),
    },
    export: {
      summary: 'Print records as they are, the oldest first, one a line',
      options: FILTERS,
      examples: [
        { command: 'skills audit export', explains: 'The whole log, as lines of JSON' },
        {
          command: 'skills audit export --kind execute --since 30d --json',
          explains: 'One JSON document of all that runtime.execute did in a month',
        },
      ],
      run: async (context, call) =>
        await (await import('../audit/export.ts')).exportAuditRecords(context, call),
    },
  },
}
