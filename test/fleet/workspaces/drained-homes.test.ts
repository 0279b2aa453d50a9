// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { SessionFleet } from './session-fleet.ts'

describe('a session whose worker drains', () => {
  it('continues on another worker with its last files', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/file', 'x')
    const home = await fleet.findHome()
    await fleet.drain(home)
    expect(await fleet.readHome()).toMatchObject({ node: null, generation: 1 })
    const { content, warnings } = await fleet.read('work/file')
    expect(content).toBe('x')
    expect(warnings).toEqual([expect.stringContaining(`"${home}" of this session was drained`)])
    expect(await fleet.readHome()).toMatchObject({ generation: 2 })
  })

  it('stays while a command runs, at most for fleet.drain_sessions', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'], { 'fleet.drain_sessions': '5s' })
    const { session_id: id } = await fleet.call('workspace_exec', {
      command: 'while read line; do echo "$line" >> work/lines; echo "got $line"; done',
      yield_time_ms: 1000,
    })
    const home = await fleet.findHome()
    const drained = fleet.drain(home)
    const write = async (chars: string) =>
      await fleet.call('write_stdin', {
        session_id: id,
        chars,
        append_newline: true,
        yield_time_ms: 1500,
      })
    expect(await write('late')).toMatchObject({
      output: expect.stringContaining('got late') as string,
    })
    await drained
    await expect(write('lost')).rejects.toMatchObject({ code: 'session/lost' })
    expect(await fleet.exec('cat work/lines')).toBe('late\n')
  })
})
