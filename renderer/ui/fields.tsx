// Form fields: a label, a control, a hint and an error that belongs to it.
import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Field as BaseField } from '@base-ui/react/field';
import { Select as BaseSelect } from '@base-ui/react/select';
import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { ReactNode } from 'react';
import { CheckIcon, ChevronDownIcon, SearchIcon } from './icons.ts';
import './fields.css';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  return (
    <BaseField.Root className="field" invalid={error !== undefined}>
      <BaseField.Label className="field-label">{label}</BaseField.Label>
      {children}
      {error === undefined ? (
        hint && <BaseField.Description className="field-hint">{hint}</BaseField.Description>
      ) : (
        <BaseField.Error match className="field-error">
          {error}
        </BaseField.Error>
      )}
    </BaseField.Root>
  );
}

export function TextInput({
  value,
  onChange,
  placeholder,
  autoFocus,
  mono,
}: {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  autoFocus?: boolean;
  mono?: boolean;
}) {
  return (
    <BaseField.Control
      className={`input ${mono ? 'mono' : ''}`}
      value={value}
      placeholder={placeholder}
      autoFocus={autoFocus}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** A number as text, so that half-typed values are kept; null where it is empty. */
export function NumberInput({
  value,
  onChange,
  placeholder,
  unit,
}: {
  value: number | null;
  onChange: (value: number | null) => void;
  placeholder?: string;
  unit?: string;
}) {
  return (
    <span className="input-unit">
      <BaseField.Control
        type="number"
        className="input figures"
        inputMode="numeric"
        value={value === null || Number.isNaN(value) ? '' : String(value)}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
      />
      {unit && <span className="faint">{unit}</span>}
    </span>
  );
}

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  detail?: string;
}

export function Select<Value extends string>({
  value,
  onChange,
  choices,
  label,
  placeholder = 'Choose…',
}: {
  value: Value | null;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
  label?: string;
  placeholder?: string;
}) {
  return (
    <BaseSelect.Root items={choices} value={value} onValueChange={(next) => next !== null && onChange(next)}>
      <BaseSelect.Trigger className="input select" aria-label={label}>
        <BaseSelect.Value className="cut">
          {(chosen: Value | null) =>
            choices.find((choice) => choice.value === chosen)?.label ?? <span className="faint">{placeholder}</span>
          }
        </BaseSelect.Value>
        <BaseSelect.Icon className="select-icon">
          <ChevronDownIcon size={14} aria-hidden />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner className="select-layer" sideOffset={4} alignItemWithTrigger={false}>
          <BaseSelect.Popup className="select-list">
            {choices.map((choice) => (
              <BaseSelect.Item key={choice.value} value={choice.value} className="select-item">
                <span className="select-check">
                  <BaseSelect.ItemIndicator>
                    <CheckIcon size={14} aria-hidden />
                  </BaseSelect.ItemIndicator>
                </span>
                <BaseSelect.ItemText>{choice.label}</BaseSelect.ItemText>
                {choice.detail && <span className="faint cut">{choice.detail}</span>}
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}

export function Checkbox({ checked, onChange, children }: { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Base UI's checkbox renders the input inside.
    <label className="check">
      <BaseCheckbox.Root className="check-box" checked={checked} onCheckedChange={onChange}>
        <BaseCheckbox.Indicator className="check-mark">
          <CheckIcon size={12} strokeWidth={3} aria-hidden />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <span className="check-words">{children}</span>
    </label>
  );
}

/** One of a few choices that are all visible. */
export function Segmented<Value extends string>({
  value,
  onChange,
  choices,
  label,
}: {
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
  label: string;
}) {
  return (
    <ToggleGroup
      className="segmented"
      aria-label={label}
      value={[value]}
      onValueChange={(next) => {
        const chosen = choices.find((choice) => choice.value === next[0]);
        if (chosen) onChange(chosen.value);
      }}
    >
      {choices.map((choice) => (
        <Toggle key={choice.value} value={choice.value} className="segment" title={choice.detail}>
          {choice.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}

/** A search field for the list below it. */
export function FilterInput({
  value,
  onChange,
  label,
  id,
}: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  id?: string;
}) {
  return (
    <span className="filter">
      <SearchIcon size={14} aria-hidden />
      <input
        id={id}
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            if (value === '') event.currentTarget.blur();
            else onChange('');
          }
        }}
      />
    </span>
  );
}
