// Buttons. One that carries an action shows the action's icon, title and keys, and runs it.
import { Tooltip } from '@base-ui/react/tooltip';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { useAction } from './actions.ts';
import type { Icon } from './icons.ts';
import { keyCaps } from './keys.ts';
import './button.css';

interface ButtonProps extends ComponentProps<'button'> {
  kind?: 'plain' | 'primary' | 'danger' | 'ghost';
  icon?: Icon | undefined;
}

export function Button({ kind = 'plain', icon: Icon, children, className = '', ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button button-${kind} ${className}`} {...rest}>
      {Icon && <Icon size={14} aria-hidden />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: Icon;
  label: string;
  keys?: string | undefined;
  /** For buttons that stay down. */
  pressed?: boolean | undefined;
}

/** A button of one icon. Its label is its name and its tooltip. */
export function IconButton({ icon: Icon, label, keys, pressed, className = '', ...rest }: IconButtonProps) {
  return (
    <Hint text={label} keys={keys}>
      <button type="button" className={`icon-button ${className}`} aria-label={label} aria-pressed={pressed} {...rest}>
        <Icon size={16} aria-hidden />
      </button>
    </Hint>
  );
}

/** A button for an action of the registry; nothing where that action is not offered now. */
export function ActionButton({ action: id, kind, label }: { action: string; kind?: ButtonProps['kind']; label?: string }) {
  const action = useAction(id);
  if (!action) return null;
  return (
    <Hint text={action.title} keys={action.keys?.[0]}>
      <Button kind={kind ?? 'plain'} icon={action.icon} onClick={action.run} data-action={id}>
        {label ?? action.title}
      </Button>
    </Hint>
  );
}

/** A tooltip over one focusable element. */
export function Hint({
  text,
  keys,
  side = 'bottom',
  children,
}: {
  text: ReactNode;
  keys?: string | undefined;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement<Record<string, unknown>>;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} delay={450} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} side={side} className="hint-layer">
          <Tooltip.Popup className="hint">
            {text}
            {keys && <Keys chord={keys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** A chord as key caps. */
export function Keys({ chord }: { chord: string }) {
  return (
    <span className="keys">
      {keyCaps(chord).map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a chord have no other name.
        <span key={place} className="keys-step">
          {step.map((cap) => (
            <kbd key={cap}>{cap}</kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
