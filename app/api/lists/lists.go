// Package lists makes empty what is nil, so that JSON does not say null.
package lists

import "reflect"

// Filled returns v with empty lists and maps in place of those that are nil, however deep in structs, lists and what
// pointers lead to. What v refers to may be in use elsewhere, so it is copied and stays as it was.
func Filled[T any](v T) T {
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if !v.IsNil() && !isNested(v.Type().Elem()) {
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(v.Elem())
			v.Set(to)
			fill(to.Elem())
		}
	}
}

// isNested reports whether values of a type may hold lists.
func isNested(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct, reflect.Pointer:
		return true
	}
	return false
}
