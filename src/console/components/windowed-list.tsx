import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { windowRows } from '../models/window-rows.ts'

interface WindowedListProps {
  count: number
  /** Pixels; every row has this height. */
  rowHeight: number
  label: string
  role?: 'list' | 'log' | 'listbox'
  /** Row that is scrolled into view when it changes. */
  current?: number | undefined
  /** True if the end stays in view as rows are added. */
  followsEnd?: boolean
  onScrollUp?: () => void
  renderRow(index: number): ComponentChildren
}

/** A list of any length of which only the rows in view exist. */
export function WindowedList(props: WindowedListProps) {
  const { count, rowHeight, label, role = 'list', current, followsEnd, onScrollUp } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ scrollTop: 0, height: 600 })
  const read = () => {
    const element = box.current
    if (element) setView({ scrollTop: element.scrollTop, height: element.clientHeight })
  }
  useLayoutEffect(() => {
    read()
    const observer = new ResizeObserver(read)
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    if (followsEnd) element.scrollTop = count * rowHeight
    read()
  }, [count, followsEnd, rowHeight])
  useLayoutEffect(() => {
    const element = box.current
    if (!element || current === undefined) return
    const top = current * rowHeight
    const isAbove = top < element.scrollTop
    const isBelow = top + rowHeight > element.scrollTop + element.clientHeight
    if (isAbove) element.scrollTop = top
    else if (isBelow) element.scrollTop = top + rowHeight - element.clientHeight
  }, [current, rowHeight])
  const onScroll = () => {
    const isUp = (box.current?.scrollTop ?? 0) < view.scrollTop
    read()
    if (isUp) onScrollUp?.()
  }
  const { first, end, before, after } = windowRows({ count, rowHeight, ...view })
  const rows = Array.from({ length: end - first }, (_, at) => props.renderRow(first + at))
  return (
    <div
      class="windowed"
      ref={box}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div
        role={role}
        aria-label={label}
        style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}
      >
        {rows}
      </div>
    </div>
  )
}
