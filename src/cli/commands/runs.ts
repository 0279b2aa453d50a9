import { RUN_KINDS, RUN_STATUSES } from '../../core/runs/history/run-record.ts'
import { STREAM_CHOICES } from '../../core/outputs/store/output-store.ts'
import { readRemoteTarget, REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'
import { receiptCommand } from '../receipts/command.ts'
import { limitYoungGeneration } from '../store/limit-young-generation.ts'

export const command: CommandDefinition = {
  summary: 'List, query, await, cancel and remove runs',
  details: [
    'List, query, await, cancel and remove runs.',
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
        { flags: '--kind <kind>', description: 'Show only runs of this kind', choices: RUN_KINDS },
        {
          flags: '--entry-point <name>',
          description: 'Show only runs from it: cli, http, mcp or library',
        },
        { flags: '--caller <name>', description: 'Show only runs of this token or user' },
        {
          flags: '--since <time>',
          description: 'Show only runs since this time: 2026-11-21, or 2h for 2 hours ago',
        },
        {
          flags: '--until <time>',
          description: 'Show only runs before this time: 2026-11-21T08:00:00Z, or 15m',
        },
        {
          flags: '--text <text>',
          description: 'Show only runs with this text in id, target or arguments',
        },
        { flags: '--limit <count>', description: 'Show at most this many (default: 50)' },
        { flags: '--cursor <text>', description: 'Continue after the previous page' },
        { flags: '--ids', description: 'Print only ids, one per line' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills runs ls', explains: 'Show start, duration, target and status' },
        {
          command: 'skills runs ls --status failed --limit 5 --json',
          explains: 'Print the last five failures as JSON',
        },
        {
          command: 'skills runs ls --url http://127.0.0.1:8080 --since 1h',
          explains: 'Show the runs of the last hour of a server',
          notRun: 'it needs a server',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-list.ts')).listRuns(context, call),
    },
    show: {
      summary: 'Show the record of a run',
      arguments: [
        { syntax: '<run>', description: 'Id of the run, its beginning, or locally an auditHash' },
      ],
      options: REMOTE_OPTIONS,
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
      arguments: [
        { syntax: '<run>', description: 'Id of the run, its beginning, or locally an auditHash' },
      ],
      options: [
        { flags: '--follow', description: 'Print new logs until the run ends' },
        { flags: '--offset <bytes>', description: 'Begin at this byte of the logs' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills runs logs 9f2a41',
          explains: 'Print all output and log messages, with secrets redacted',
          notRun: 'it needs a recorded run',
        },
        {
          command: 'skills runs logs 9f2a41 --follow',
          explains: 'Follow a detached run until it ends',
          notRun: 'it needs a detached run',
        },
      ],
      run: async (context, call) => {
        const { follow, offset } = call.options
        const isRemote = readRemoteTarget(context, call) !== undefined
        if (follow === undefined && offset === undefined && !isRemote) {
          return await (await import('../store/run-logs.ts')).showRunLogs(context, call)
        }
        return await (await import('../store/run-follow.ts')).readLogsByOffset(context, call)
      },
    },
    wait: {
      summary: 'Wait until a detached run has ended, and show its result',
      details: [
        'Wait until a detached run has ended, and show its result.',
        '',
        'Ctrl-C ends the wait, and not the run. The exit status is 0 if the run',
        'completed.',
      ].join('\n'),
      arguments: [{ syntax: '<run>', description: 'Id of the run, or its beginning' }],
      options: [
        { flags: '--timeout <duration>', description: 'Wait at most this time: 30 (seconds), 5m' },
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills runs wait 9f2a41 --timeout 5m',
          explains: 'Wait up to five minutes for the result',
          notRun: 'it needs a detached run',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-wait.ts')).waitForRunEnd(context, call),
    },
    cancel: {
      summary: 'End a run',
      details: [
        'End a run.',
        '',
        '- A run that was started with --detach can be ended from everywhere, by the',
        '  caller that started it.',
        '- With --url, a run can be ended whose call the server performs.',
      ].join('\n'),
      arguments: [{ syntax: '<run>', description: 'Id of the run, or its beginning' }],
      options: REMOTE_OPTIONS,
      examples: [
        {
          command: 'skills runs cancel 9f2a41',
          explains: 'Send SIGTERM to its processes, and SIGKILL after 2 seconds',
          notRun: 'it needs a detached run',
        },
      ],
      run: async (context, call) =>
        await (await import('../store/run-wait.ts')).cancelRunById(context, call),
    },
    query: {
      summary: 'Search the output of a run, or print lines of it',
      details: [
        'Search the output of a run, or print lines of it.',
        '',
        '- A line matches if it contains one of the terms, ignoring case.',
        '- With --regex, terms are regular expressions without back-references and',
        '  lookaround. Case is ignored too.',
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
        { flags: '--regex', description: 'Terms are regular expressions, in linear time' },
        {
          flags: '--tail <count>',
          description: 'Only the last lines of each stream, or the last matches of terms',
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
          command: "skills runs query 9f2a41 --regex 'error|failed: [0-9]+' --tail 5",
          explains: 'Show the last five matches of a regular expression',
          notRun: 'it needs a recorded run',
        },
        {
          command: 'skills runs query 9f2a41 --tail 20',
          explains: 'Print the last 20 lines of stdout and of stderr',
          notRun: 'it needs a recorded run',
        },
        {
          command: 'skills runs query 9f2a41 --stream stderr --lines 1-20',
          explains: 'Print the first lines of stderr',
          notRun: 'it needs a recorded run',
        },
      ],
      run: async (context, call) => {
        limitYoungGeneration()
        return await (await import('../store/run-query.ts')).queryRunOutput(context, call)
      },
    },
    receipt: receiptCommand,
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
