import { RUN_STATUSES } from '../../core/runs/history/run-record.ts'
import { STREAM_CHOICES } from '../../core/outputs/store/output-store.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'List, query and remove run records',
  details: [
    'List, query and remove run records.',
    '',
    'Every run has a record, from any transport. Ids may be shortened to an',
    'unambiguous beginning.',
  ].join('\n'),
  subcommands: {
    ls: {
      summary: 'List runs, newest first',
      options: [
        {
          flags: '--status <status>',
          description: 'Show only runs with this status',
          choices: RUN_STATUSES,
        },
        { flags: '--skill <skill>', description: 'Show only runs of this skill, or name@version' },
        { flags: '--limit <count>', description: 'Show at most this many (default: 50)' },
        { flags: '--cursor <text>', description: 'Continue after the previous page' },
        { flags: '--ids', description: 'Print only ids, one per line' },
      ],
      examples: [
        { command: 'skills runs ls', explains: 'Show start, duration, target and status' },
        {
          command: 'skills runs ls --status failed --limit 5 --json',
          explains: 'Print the last five failures as JSON',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-list.ts')).listRuns(context, call),
    },
    show: {
      summary: 'Show the record of a run',
      arguments: [{ syntax: '<run>', description: 'Id of the run, or its beginning' }],
      examples: [
        {
          command: 'skills runs show 9f2a41',
          explains: 'Show request, decision, isolation, limits, times, result',
          notRun: 'it needs a recorded run',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-show.ts')).showRun(context, call),
    },
    logs: {
      summary: 'Print the log of a run',
      arguments: [{ syntax: '<run>', description: 'Id of the run, or its beginning' }],
      examples: [
        {
          command: 'skills runs logs 9f2a41',
          explains: 'Print all output and log messages, with secrets redacted',
          notRun: 'it needs a recorded run',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-show.ts')).showRunLogs(context, call),
    },
    query: {
      summary: 'Search the output of a run, or print lines of it',
      details: [
        'Search the output of a run, or print lines of it.',
        '',
        '- A line matches if it contains one of the terms, ignoring case.',
        '- Without terms, lines are printed from the beginning.',
        '- The output may have any size.',
      ].join('\n'),
      arguments: [
        {
          syntax: '<run>',
          description: 'Id of the run or its beginning, or handle of an output',
        },
        { syntax: '[terms...]', description: 'Search terms, at most 10' },
      ],
      options: [
        {
          flags: '-C, --context <lines>',
          description: 'Show this many lines around each match (default: 3)',
        },
        {
          flags: '--max <count>',
          description: 'Limit excerpts per page, or lines without terms',
        },
        { flags: '--all', description: 'Print every page' },
        {
          flags: '--stream <stream>',
          description: 'Search this stream (default: both)',
          choices: STREAM_CHOICES,
        },
        { flags: '--lines <range>', description: 'Print these lines unchanged: 5, 5-10 or 5-' },
        { flags: '--cursor <text>', description: 'Continue after the previous page' },
        { flags: '--raw', description: 'Do not remove colours and test durations' },
        { flags: '--repo <name>', description: 'Require that the run used this repository' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills runs query 9f2a41 error -C 5',
          explains: 'Search for "error" with five lines of context',
          notRun: 'it needs a recorded run',
        },
        {
          command: 'skills runs query 9f2a41 --stream stderr --lines 1-20',
          explains: 'Print the first lines of stderr',
          notRun: 'it needs a recorded run',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-query.ts')).queryRunOutput(context, call),
    },
    rm: {
      summary: 'Remove run records',
      arguments: [{ syntax: '[run...]', description: 'Ids, or their beginnings' }],
      options: [
        { flags: '--expired', description: 'Remove expired records and those beyond the quota' },
        { flags: '--all', description: 'Remove all records of finished runs' },
        { flags: '-y, --yes', description: 'Do not ask for confirmation' },
      ],
      examples: [
        { command: 'skills runs rm --expired', explains: 'Remove expired records' },
        { command: 'skills runs rm --all --yes', explains: 'Remove all records' },
      ],
      run: async (context, call) =>
        await (await import('../store/run-remove.ts')).removeRuns(context, call),
    },
  },
}
