import { AUDIT_EVENTS } from '../../core/audit/audit-record.ts'
import { POLICY_RUN_KINDS } from '../../core/policy/policy-request.ts'
import { LAYERS } from '../../core/policy/verdict.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition, OptionDefinition } from '../command.ts'

const FILTERS: readonly OptionDefinition[] = [
  {
    flags: '--event <event>',
    description: 'Show only records of this event',
    choices: AUDIT_EVENTS,
  },
  { flags: '--denied', description: 'Show only denials (same as --event denied)' },
  { flags: '--kind <kind>', description: 'Show only runs of this kind', choices: POLICY_RUN_KINDS },
  { flags: '--layer <layer>', description: 'Show only denials of this layer', choices: LAYERS },
  { flags: '--code <code>', description: 'Show only denials with this code' },
  { flags: '--caller <name>', description: 'Show only runs of this token or user' },
  { flags: '--repo <name>', description: 'Show only runs in this repository' },
  { flags: '--skill <skill>', description: 'Show only runs of this skill, or name@version' },
  { flags: '--language <language>', description: 'Show only runs of this language' },
  { flags: '--rule <name>', description: 'Show only decisions by this rule' },
  { flags: '--run <id>', description: 'Show only this run; the id may be shortened' },
  { flags: '--hash <digits>', description: 'Show only decisions whose auditHash starts with this' },
  {
    flags: '--since <time>',
    description: 'Show only records since this time: 2026-11-21, or 2h for 2 hours ago',
  },
  {
    flags: '--until <time>',
    description: 'Show only records before this time: 2026-11-21T08:00:00Z, or 15m',
  },
]

export const command: CommandDefinition = {
  summary: 'List, verify and export the audit log',
  details: [
    'List, verify and export the audit log.',
    '',
    '- Every run and every denial is recorded before its response is sent.',
    '- Each record contains the hash of the previous one.',
  ].join('\n'),
  subcommands: {
    ls: {
      summary: 'List decisions, newest first',
      options: [
        ...FILTERS,
        { flags: '--limit <count>', description: 'Show at most this many (default: 50)' },
        { flags: '--before <number>', description: 'Continue after the previous page' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills audit ls', explains: 'Show time, caller, target and result' },
        {
          command: 'skills audit ls --denied --since 1d --json',
          explains: 'Print the denials of the last 24 hours as JSON',
        },
        {
          command: 'skills audit ls --url http://127.0.0.1:8080',
          explains: 'Show the decisions of a server',
          notRun: 'it needs a server',
        },
      ],
      run: async (context, call) =>
        await (await import('../audit/list.ts')).listAuditRecords(context, call),
    },
    verify: {
      summary: 'Verify that no record was changed, removed or moved',
      details: [
        'Verify that no record was changed, removed or moved.',
        '',
        'The last line about an intact log is an anchor. Store it on another machine and',
        'pass it with --anchor later: this also detects a log that was rewritten',
        'completely.',
        '',
        '--fleet verifies all chains and epochs of a fleet, as "skills fleet verify" does.',
      ].join('\n'),
      options: [
        {
          flags: '--anchor <number:hash>',
          description: 'Compare with an earlier anchor (repeatable)',
          isRepeatable: true,
        },
        {
          flags: '--fleet [url]',
          description:
            'Verify the audit of the fleet with this engine, such as nats://127.0.0.1:4222 (default: fleet.servers)',
        },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills audit verify', explains: 'Verify the whole log' },
        {
          command: 'skills audit verify --anchor 41:9f2a…',
          explains: 'Verify it against an earlier anchor',
          notRun: 'it needs an anchor of the local log',
        },
        {
          command: 'skills audit verify --fleet nats://127.0.0.1:4222',
          explains: 'Verify the audit of a fleet',
          notRun: 'it needs an engine',
        },
      ],
      run: async (context, call) =>
        await (await import('../audit/verify.ts')).verifyAuditLog(context, call),
    },
    export: {
      summary: 'Print unchanged records, oldest first, one per line',
      options: [...FILTERS, ...REMOTE_OPTIONS],
      examples: [
        { command: 'skills audit export', explains: 'Print the whole log as lines of JSON' },
        {
          command: 'skills audit export --kind execute --since 30d --json',
          explains: 'Print a month of runtime.execute calls as one JSON document',
        },
      ],
      run: async (context, call) =>
        await (await import('../audit/export.ts')).exportAuditRecords(context, call),
    },
  },
}
