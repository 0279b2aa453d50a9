// @module-tag slow
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { connectClient, waitUntil, selectRoutes, type McpConnection } from '../helpers/mcp.ts'

/** Sleeps under a unique name, so that leftover processes can be found. */
function createSleeper(mark: string): Record<string, unknown> {
  const code = [
    'import subprocess, sys, time',
    'def main(a):',
    `  subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "${mark}"])`,
    '  time.sleep(600)',
  ].join('\n')
  return { language: 'python', code }
}

function isProcessRunning(mark: string): boolean {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return stdout.includes(mark)
}

describe.each(selectRoutes('killed'))('over $transport, $era', (way) => {
  const at = async (work: (connected: McpConnection) => Promise<void>) => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
    const connected = await connectClient(way, { cwd: dir })
    try {
      await work(connected)
    } finally {
      await connected.close().catch(() => {})
      rmSync(dir, { recursive: true, force: true })
    }
  }

  it('a killed server fails the call and its run ends', async () => {
    await at(async ({ client, pid }) => {
      const mark = `mark-${process.pid}-${way.transport}-${way.era}-server`
      const running = client.callTool(
        { name: 'run_code', arguments: createSleeper(mark) },
        // A client of an older revision expects to resume on another connection.
        { timeout: 20_000 },
      )
      running.catch(() => {})
      await waitUntil(() => isProcessRunning(mark))
      process.kill(pid ?? 0, 'SIGKILL')
      await expect(running).rejects.toThrow()
      await waitUntil(() => !isProcessRunning(mark))
    })
  })

  it('the run of a client that disconnects is cancelled', async () => {
    await at(async ({ client }) => {
      const mark = `mark-${process.pid}-${way.transport}-${way.era}-client`
      const running = client.callTool({ name: 'run_code', arguments: createSleeper(mark) })
      running.catch(() => {})
      await waitUntil(() => isProcessRunning(mark))
      await client.close()
      await waitUntil(() => !isProcessRunning(mark))
    })
  })
})
