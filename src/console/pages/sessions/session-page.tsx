import type { DescribeSessionResult } from '../../../core/methods/describe-session/definition.ts'
import { Link } from '../../app/link.tsx'
import { changeSearch } from '../../app/location.ts'
import type { PageProps } from '../../app/page-props.ts'
import { useMethod } from '../../app/use-method.ts'
import { useTitle } from '../../app/use-title.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { Time } from '../../components/time.tsx'
import { VendorChoice } from '../../components/vendor-choice.tsx'
import { formatBytes } from '../../models/quantities.ts'
import { readVendor } from '../../models/vendors.ts'
import { RequestContent } from './request-content.tsx'

const PROFILES = ['agent', 'protocol', 'knowledge', 'programs'] as const
type Profile = (typeof PROFILES)[number]

/** One session: what is loaded, and what the next request to a model contains. */
export function Page({ params, search }: PageProps) {
  const format = readVendor(search)
  const profile = PROFILES.find((each) => each === search.get('profile')) ?? 'agent'
  const agent = search.get('agent')
  const state = useMethod('describe_session', {
    id: params['id'] ?? '',
    format,
    profile,
    ...(agent !== null && { agent }),
  })
  useTitle(state.data && nameSession(state.data))
  return (
    <Loading state={state} label="the session">
      {(session) => (
        <section>
          <h1>{nameSession(session)}</h1>
          <SessionFacts session={session} />
          <LoadedSkills session={session} />
          <h2>The next request</h2>
          <div class="filters">
            <VendorChoice vendor={format} />
            <ProfileChoice profile={profile} />
            <button type="button" onClick={state.reload}>
              Read again
            </button>
          </div>
          <RequestContent session={session} />
        </section>
      )}
    </Loading>
  )
}

function nameSession({ session, id }: DescribeSessionResult): string {
  return session ?? `Session ${id.slice(0, 12)}`
}

function SessionFacts({ session }: { session: DescribeSessionResult }) {
  const { caller, entry_point: door, changed_at: at, load_mode: mode, turn, agents } = session
  return (
    <>
      <ul class="facts">
        <li>
          {caller ?? 'local user'}
          {door !== null && ` (${door})`}
        </li>
        <li>
          changed <Time at={at} />
        </li>
        <li>{LOAD_MODES[mode]}</li>
        {turn !== null && <li>turn {turn}</li>}
        {session.max_loaded !== null && <li>at most {session.max_loaded} skills</li>}
      </ul>
      {agents.length > 1 && (
        <p>
          <label for="agent">Agent</label>{' '}
          <select
            id="agent"
            value={session.agent}
            onChange={(event) => changeSearch({ agent: event.currentTarget.value })}
          >
            {agents.map(({ agent, loaded }) => (
              <option key={agent} value={agent}>
                {agent}, {loaded} loaded
              </option>
            ))}
          </select>
        </p>
      )}
    </>
  )
}

const LOAD_MODES = {
  turn: 'loads last until the turn ends',
  once: 'loads last for one request',
  session: 'loads last for the session',
} as const

function LoadedSkills({ session: { skills, files, parts } }: { session: DescribeSessionResult }) {
  return (
    <>
      <h2>Loaded</h2>
      {skills.length === 0 ? (
        <EmptyState title="No skill is loaded now: loads of an ended turn are removed." />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Skill</th>
              <th scope="col">Documents</th>
              <th scope="col">Tokens</th>
              <th scope="col">By the tool call</th>
            </tr>
          </thead>
          <tbody>
            {skills.map(({ skill, selected_docs: docs = [], include_all_docs: isAll }) => {
              const own = parts.filter((part) => part.skill === skill)
              const calls = [...new Set(own.flatMap(({ call }) => call ?? []))]
              return (
                <tr key={skill}>
                  <th scope="row">
                    <Link to={`/skills/${encodeURIComponent(skill)}`}>{skill}</Link>
                  </th>
                  <td>{isAll ? 'all' : docs.join(', ') || 'none'}</td>
                  <td>{own.reduce((sum, { tokens }) => sum + tokens, 0)}</td>
                  <td>{calls.join(', ') || 'not recorded'}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {files.length > 0 && (
        <ul aria-label="Files of the application">
          {files.map(({ path, mime_type: type, size_bytes: size }) => (
            <li key={path}>
              <code>{path}</code>{' '}
              <span class="muted">
                {type}, {formatBytes(size)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function ProfileChoice({ profile }: { profile: Profile }) {
  return (
    <>
      <label for="profile">Tools</label>
      <select
        id="profile"
        value={profile}
        onChange={(event) => changeSearch({ profile: event.currentTarget.value })}
      >
        {PROFILES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </>
  )
}
